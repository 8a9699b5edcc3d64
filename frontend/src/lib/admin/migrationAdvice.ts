/** Advice for rows of the other service that could not be taken as they are. */
import type { components } from '../api/schema';
import { t } from '../i18n/i18n.svelte';

type Issue = Pick<components['schemas']['MigrationIssueResponse'], 'field'>;

const FIELDS = ['email', 'user_id', 'album_id', 's3_key', 'tags', 'created_at', 'row'] as const;
type Field = (typeof FIELDS)[number];

const isKnown = (field: string): field is Field => (FIELDS as readonly string[]).includes(field);

export const adviceFor = ({ field }: Issue): string =>
  t(`admin.migration.advices.${isKnown(field) ? field : 'anything'}`);
