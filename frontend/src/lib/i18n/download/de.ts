/** German: downloads. */
import type { Messages } from '../i18n.svelte';
import type en from './en';

export default {
  download: {
    titled: '„{title}“ herunterladen',
    some: { one: '{n} Foto herunterladen', other: '{n} Fotos herunterladen' },
    found: 'Gefundenes herunterladen',
    size: 'Welche Dateien',
    sizes: { original: 'Originale', large: 'Groß' },
    about: {
      original: 'Genau die Dateien, die hochgeladen wurden.',
      large: 'Kleinere Dateien, gut für Bildschirme und zum Weitergeben.',
    },
    preparing: 'Wird vorbereitet …',
    much: { one: '{n} Foto, {size}, als Zip-Datei.', other: '{n} Fotos, {size}, als eine Zip-Datei.' },
    start: 'Herunterladen',
    photos: 'Fotos',
    coming: {
      one: 'Dein Browser lädt {n} Foto herunter, {size}',
      other: 'Dein Browser lädt {n} Fotos herunter, {size}',
    },
    tooMany: 'Bis zu {n} Fotos lassen sich auf einmal herunterladen: Wähle weniger aus.',
    nothing: 'Hier ist kein Foto, das du herunterladen kannst.',
    panel: 'Downloads',
    progress: 'Fortschritt des Downloads',
    far: '{done} von {total}',
    left: 'noch {time}',
    waiting: 'Schwache Verbindung: Es geht von selbst weiter',
    paused: 'Angehalten',
    done: 'Gespeichert, {size}',
    pause: 'Download anhalten',
    resume: 'Download fortsetzen',
    stop: 'Download abbrechen',
    signedOut: 'Du bist abgemeldet: Melde dich an und lade es noch einmal herunter.',
    gone: 'Es ist nicht mehr da: Lade es noch einmal herunter.',
    notWritten: 'Die Datei ließ sich nicht schreiben: Sieh nach, ob noch Platz ist, und lade sie noch einmal herunter.',
  },
} satisfies Messages<typeof en>;
