/** What writes dates, numbers and plurals in a language: made once, because that takes longer than to draw a photo. */

type Kind<Style, Writer> = new (locale: string, style?: Style) => Writer;

const made = new Map<string, unknown>();

/** The writer of this kind, in this style: `writer(Intl.NumberFormat, 'de', { style: 'percent' })`. */
export function writer<Style, Writer>(kind: Kind<Style, Writer>, locale: string, style?: Style): Writer {
  const key = `${kind.name} ${locale} ${JSON.stringify(style)}`;
  const known = (made.get(key) as Writer | undefined) ?? new kind(locale, style);
  made.set(key, known);
  return known;
}
