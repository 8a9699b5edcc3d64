/** French: downloads. */
import type { Messages } from '../i18n.svelte';
import type en from './en';

export default {
  download: {
    titled: 'Télécharger « {title} »',
    some: { one: 'Télécharger {n} photo', other: 'Télécharger {n} photos' },
    found: 'Télécharger ce qui a été trouvé',
    size: 'Quels fichiers',
    sizes: { original: 'Originaux', large: 'Grand' },
    about: {
      original: 'Les fichiers mêmes qui ont été ajoutés.',
      large: 'Des fichiers plus petits, bons pour les écrans et pour l’envoi.',
    },
    preparing: 'Préparation …',
    much: { one: '{n} photo, {size}, dans un fichier zip.', other: '{n} photos, {size}, dans un fichier zip.' },
    start: 'Télécharger',
    photos: 'Photos',
    coming: {
      one: 'Votre navigateur télécharge {n} photo, {size}',
      other: 'Votre navigateur télécharge {n} photos, {size}',
    },
    tooMany: 'On peut télécharger jusqu’à {n} photos à la fois : sélectionnez-en moins.',
    nothing: 'Il n’y a ici aucune photo que vous puissiez télécharger.',
    panel: 'Téléchargements',
    progress: 'Avancement du téléchargement',
    far: '{done} sur {total}',
    left: 'encore {time}',
    waiting: 'Connexion faible : cela reprend tout seul',
    paused: 'En pause',
    done: 'Enregistré, {size}',
    pause: 'Mettre le téléchargement en pause',
    resume: 'Reprendre le téléchargement',
    stop: 'Arrêter le téléchargement',
    signedOut: 'Vous êtes déconnecté : connectez-vous et téléchargez à nouveau.',
    gone: 'Ce n’est plus là : téléchargez à nouveau.',
    notWritten: 'Le fichier n’a pas pu être écrit : voyez s’il reste de la place, et téléchargez à nouveau.',
  },
} satisfies Messages<typeof en>;
