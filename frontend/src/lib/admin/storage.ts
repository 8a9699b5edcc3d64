/** How much is stored, asked for by the parts that show some of it. */
import { api, told } from '../api/client';
import type { components } from '../api/schema';

export type StorageTold = components['schemas']['Storage'];

export const askStorage = (): Promise<StorageTold> =>
  told(api.GET('/api/admin/storage', { params: { query: { limit: 20 } } }));
