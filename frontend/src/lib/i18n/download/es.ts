/** Spanish: downloads. */
import type { Messages } from '../i18n.svelte';
import type en from './en';

export default {
  download: {
    titled: 'Descargar «{title}»',
    some: { one: 'Descargar {n} foto', other: 'Descargar {n} fotos' },
    found: 'Descargar lo encontrado',
    size: 'Qué archivos',
    sizes: { original: 'Originales', large: 'Grande' },
    about: {
      original: 'Los mismos archivos que se subieron.',
      large: 'Archivos más pequeños, buenos para pantallas y para enviar.',
    },
    preparing: 'Preparando …',
    much: { one: '{n} foto, {size}, en un archivo zip.', other: '{n} fotos, {size}, en un archivo zip.' },
    start: 'Descargar',
    photos: 'Fotos',
    coming: {
      one: 'Tu navegador descarga {n} foto, {size}',
      other: 'Tu navegador descarga {n} fotos, {size}',
    },
    tooMany: 'Se pueden descargar hasta {n} fotos a la vez: selecciona menos.',
    nothing: 'Aquí no hay ninguna foto que puedas descargar.',
    panel: 'Descargas',
    progress: 'Progreso de la descarga',
    far: '{done} de {total}',
    left: 'quedan {time}',
    waiting: 'Conexión débil: sigue sola',
    paused: 'En pausa',
    done: 'Guardado, {size}',
    pause: 'Pausar la descarga',
    resume: 'Seguir con la descarga',
    stop: 'Parar la descarga',
    signedOut: 'Has cerrado la sesión: entra y descárgalo otra vez.',
    gone: 'Ya no está: descárgalo otra vez.',
    notWritten: 'No se pudo escribir el archivo: mira si queda espacio y descárgalo otra vez.',
  },
} satisfies Messages<typeof en>;
