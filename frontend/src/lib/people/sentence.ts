/** What somebody decided, as a sentence. */
import type { Decision } from '../api/shapes';
import { t } from '../i18n/i18n.svelte';

/** Until somebody gives a name, a person is called by their id. */
function wasNamed({ was, personId }: Decision): string | null {
  return was && was !== personId ? was : null;
}

function aboutName(decision: Decision): string {
  const was = wasNamed(decision);
  if (!decision.name) return was ? t('people.didUnname', { was }) : t('people.didUnnameNobody');
  return was ? t('people.didRename', { was, name: decision.name }) : t('people.didName', { name: decision.name });
}

export function sentence(decision: Decision): string {
  const n = decision.faces.length;
  switch (decision.kind) {
    case 'name':
      return aboutName(decision);
    case 'hide':
      return t('people.didHide');
    case 'show':
      return t('people.didShow');
    case 'merge':
      return t('people.didMerge');
    case 'split':
      return t('people.didSplit', { n });
    case 'reject':
      return t('people.didReject', { n });
    case 'assign':
      return t('people.didAssign', { n });
    case 'draw':
      return t('people.didDraw');
    case 'picture':
      return t('people.didPicture');
    case 'different':
      return t('people.didDifferent');
    case 'undo':
      return t('ui.undo');
  }
}
