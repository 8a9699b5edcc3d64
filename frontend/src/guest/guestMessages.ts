/** Loader of the guests' page messages, with a fallback that needs no network. */
import type en from '$lib/i18n/guest/en';
import type { Messages } from '$lib/i18n/i18n.svelte';
import { preferredLanguage, translation, type Language } from '$lib/i18n/translate.svelte';

const load: Record<Language, () => Promise<{ default: Messages<typeof en> }>> = {
  en: () => import('$lib/i18n/guest/en'),
  de: () => import('$lib/i18n/guest/de'),
  fr: () => import('$lib/i18n/guest/fr'),
  es: () => import('$lib/i18n/guest/es'),
};

const speak = async (language: Language): Promise<void> =>
  translation.setMessages(language, (await load[language]()).default);

export async function loadGuestMessages(): Promise<void> {
  await speak(preferredLanguage()).catch(() => speak('en'));
}

/** Messages that need no network. */
export const useOfflineMessages = (): void =>
  translation.setMessages('en', {
    ui: { unreachable: 'Sparks cannot be reached: check your connection.', retry: 'Try again' },
    guest: { failedTitle: 'The album could not be opened' },
  });
