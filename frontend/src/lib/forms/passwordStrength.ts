/** Estimate of how hard a password is to guess. The server decides. */

const SHORTEST = 10;
export type PasswordStrength = 'short' | 'weak' | 'fair' | 'good' | 'strong';
export const STRENGTHS: readonly PasswordStrength[] = ['short', 'weak', 'fair', 'good', 'strong'];

const KINDS = [/\p{Ll}/u, /\p{Lu}/u, /\p{N}/u, /[^\p{L}\p{N}\s]/u];
const OFTEN = ['password', 'passwort', 'contraseña', 'motdepasse', 'qwert', 'azerty', 'letmein', 'iloveyou', '12345'];

export function passwordStrength(password: string, email = ''): PasswordStrength {
  const text = password.normalize('NFKC');
  if ([...text].length < SHORTEST) return 'short';
  const bits = guesses(text) - (isOften(text, email) ? 30 : 0);
  if (bits < 30) return 'weak';
  if (bits < 45) return 'fair';
  return bits < 60 ? 'good' : 'strong';
}

/** Bits, roughly: a repeated letter, or the next one of the alphabet, adds next to nothing. */
function guesses(text: string): number {
  const letters = [...text.toLowerCase()];
  const fresh = letters.filter((letter, at) => !isPlain(letter, letters[at - 1]));
  const kinds = KINDS.filter((kind) => kind.test(text)).length;
  const share = new Set(letters).size / Math.min(letters.length, 16); // long passwords repeat letters
  return fresh.length * (2.2 + 0.7 * kinds) * Math.min(1, 0.4 + share);
}

function isPlain(letter: string, before: string | undefined): boolean {
  if (before === undefined) return false;
  return Math.abs((letter.codePointAt(0) ?? 0) - (before.codePointAt(0) ?? 0)) <= 1;
}

/** Whether it is a common password or contains the address. */
function isOften(text: string, email: string): boolean {
  const lower = text.toLowerCase();
  const name = email.toLowerCase().split('@')[0] ?? '';
  return OFTEN.some((word) => lower.includes(word)) || (name.length > 2 && lower.includes(name));
}
