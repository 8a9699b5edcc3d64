/** The words of this page, in the reader's language. */
import type en from '$lib/i18n/guest/en';
import type { Messages } from '$lib/i18n/i18n.svelte';
import { preferred, speech, type Language } from '$lib/i18n/speech.svelte';

const load: Record<Language, () => Promise<{ default: Messages<typeof en> }>> = {
  en: () => import('$lib/i18n/guest/en'),
  de: () => import('$lib/i18n/guest/de'),
  fr: () => import('$lib/i18n/guest/fr'),
  es: () => import('$lib/i18n/guest/es'),
};

const speak = async (language: Language): Promise<void> => speech.speak(language, (await load[language]()).default);

export async function learnWords(): Promise<void> {
  await speak(preferred()).catch(() => speak('en'));
}

/** The few words that need no network, to say that there is none. */
export const speakWithout = (): void =>
  speech.speak('en', {
    ui: { unreachable: 'Sparks cannot be reached: check your connection.', retry: 'Try again' },
    guest: { failedTitle: 'The album could not be opened' },
  });
