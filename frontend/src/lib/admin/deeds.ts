/** What an entry of the audit trail says, in words. */
import type { components } from '../api/schema';
import { bytes, t, type Key } from '../i18n/i18n.svelte';

export type Entry = components['schemas']['EntryAnswer'];
type Details = Readonly<Record<string, unknown>>;

/** By deed: the words, or those that say one of two things. */
const DEEDS: Readonly<Record<string, Key>> = {
  'set-up': 'admin.deeds.setUp',
  'signed-in': 'admin.deeds.signedIn',
  'sign-in-failed': 'admin.deeds.signInFailed',
  'signed-out': 'admin.deeds.signedOut',
  'session-ended': 'admin.deeds.sessionEnded',
  'sessions-ended': 'admin.deeds.sessionsEnded',
  'user-made': 'admin.deeds.userMade',
  'user-removed': 'admin.deeds.userRemoved',
  'role-changed': 'admin.deeds.roleChanged',
  'limit-changed': 'admin.deeds.limitChanged',
  'password-changed': 'admin.deeds.passwordChanged',
  'password-reset': 'admin.deeds.passwordReset',
  'key-made': 'admin.deeds.keyMade',
  'key-revoked': 'admin.deeds.keyRevoked',
  'invitation-made': 'admin.deeds.invitationMade',
  'invitation-revoked': 'admin.deeds.invitationRevoked',
  'identity-linked': 'admin.deeds.identityLinked',
  'identity-unlinked': 'admin.deeds.identityUnlinked',
  'person-claimed': 'admin.deeds.personClaimed',
  'claim-confirmed': 'admin.deeds.claimConfirmed',
  'claim-refused': 'admin.deeds.claimRefused',
  'face-forgotten': 'admin.deeds.faceForgottenVector',
  'faces-switched': 'admin.deeds.facesSwitchedOn',
  'jobs-retried': 'admin.deeds.jobsRetried',
  'jobs-dropped': 'admin.deeds.jobsDropped',
  'link-made': 'admin.deeds.linkMade',
  'link-changed': 'admin.deeds.linkChanged',
  'link-revoked': 'admin.deeds.linkRevoked',
};

/** One that is of a newer version of Sparks is told by its name. */
export function deedOf({ action, target, details }: Entry): string {
  const told = (details ?? {}) as Details;
  const key = Object.hasOwn(DEEDS, action) ? DEEDS[action] : undefined;
  if (!key) return `${action} ${target ?? ''}`.trim();
  if (action === 'faces-switched') return switched(told, target);
  if (action === 'face-forgotten' && told['keep'] === 'nothing') return t('admin.deeds.faceForgottenNothing');
  return t(key, { target: target ?? t('admin.nobodyKnown'), ...valuesOf(told) });
}

function switched({ allowed }: Details, target: string | null | undefined): string {
  const whom = target === 'site' ? t('admin.everyone') : (target ?? '');
  return t(allowed ? 'admin.deeds.facesSwitchedOn' : 'admin.deeds.facesSwitchedOff', { target: whom });
}

/** What some of the words ask for. */
function valuesOf(told: Details): Record<string, string | number> {
  return {
    n: Number(told['count'] ?? 0),
    name: String(told['name'] ?? ''),
    issuer: String(told['issuer'] ?? ''),
    role: roleOf(told['role']),
    before: roleOf(told['before']),
    amount: amountOf(told),
    uses: told['uses'] ? t('admin.people', { n: Number(told['uses']) }) : t('admin.asManyAsLike'),
  };
}

function roleOf(role: unknown): string {
  return role === 'admin' || role === 'member' ? t(`admin.roles.${role}`) : '';
}

function amountOf({ limit, bytesLeft }: Details): string {
  const parts = [
    typeof limit === 'number' && t('ui.photos', { n: limit }),
    typeof bytesLeft === 'number' && bytes(bytesLeft),
  ];
  return parts.filter(Boolean).join(', ');
}

/** Who did it; the server has two names of its own. */
export function doerOf({ who }: Entry): string {
  if (who === 'unknown') return t('admin.somebody');
  return who === 'command line' ? t('admin.commandLine') : who;
}
