/** Texts of audit log entries: the action, its target and the actor. */
import type { components } from '../api/schema';
import { bytes, t, type Key } from '../i18n/i18n.svelte';

export type AuditEntry = components['schemas']['AuditEntryResponse'];
type Details = Readonly<Record<string, unknown>>;

/** Message of each action; some have a second one, see below. */
const DEEDS: Readonly<Record<string, Key>> = {
  'set-up': 'admin.auditActions.setUp',
  'signed-in': 'admin.auditActions.signedIn',
  'sign-in-failed': 'admin.auditActions.signInFailed',
  'signed-out': 'admin.auditActions.signedOut',
  'session-ended': 'admin.auditActions.sessionEnded',
  'sessions-ended': 'admin.auditActions.sessionsEnded',
  'user-made': 'admin.auditActions.userMade',
  'user-removed': 'admin.auditActions.userRemoved',
  'role-changed': 'admin.auditActions.roleChanged',
  'limit-changed': 'admin.auditActions.limitChanged',
  'password-changed': 'admin.auditActions.passwordChanged',
  'password-reset': 'admin.auditActions.passwordReset',
  'key-made': 'admin.auditActions.keyMade',
  'key-revoked': 'admin.auditActions.keyRevoked',
  'invitation-made': 'admin.auditActions.invitationMade',
  'invitation-revoked': 'admin.auditActions.invitationRevoked',
  'identity-linked': 'admin.auditActions.identityLinked',
  'identity-unlinked': 'admin.auditActions.identityUnlinked',
  'person-claimed': 'admin.auditActions.personClaimed',
  'claim-confirmed': 'admin.auditActions.claimConfirmed',
  'claim-refused': 'admin.auditActions.claimRefused',
  'face-forgotten': 'admin.auditActions.faceForgottenVector',
  'faces-switched': 'admin.auditActions.facesSwitchedOn',
  'jobs-retried': 'admin.auditActions.jobsRetried',
  'jobs-dropped': 'admin.auditActions.jobsDropped',
  'link-made': 'admin.auditActions.linkMade',
  'link-changed': 'admin.auditActions.linkChanged',
  'link-revoked': 'admin.auditActions.linkRevoked',
};

/** An action of a newer version of Sparks is shown by its name. */
export function describeEntry({ action, target, details }: AuditEntry): string {
  const told = (details ?? {}) as Details;
  const key = Object.hasOwn(DEEDS, action) ? DEEDS[action] : undefined;
  if (!key) return `${action} ${target ?? ''}`.trim();
  if (action === 'faces-switched') return switched(told, target);
  if (action === 'face-forgotten' && told['keep'] === 'nothing') return t('admin.auditActions.faceForgottenNothing');
  return t(key, { target: target ?? t('admin.nobodyKnown'), ...valuesOf(told) });
}

function switched({ allowed }: Details, target: string | null | undefined): string {
  const whom = target === 'site' ? t('admin.everyone') : (target ?? '');
  return t(allowed ? 'admin.auditActions.facesSwitchedOn' : 'admin.auditActions.facesSwitchedOff', { target: whom });
}

/** Values that some messages need. */
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

/** Name of the actor; the server uses two that are no users. */
export function actorOf({ who }: AuditEntry): string {
  if (who === 'unknown') return t('admin.somebody');
  return who === 'command line' ? t('admin.commandLine') : who;
}
