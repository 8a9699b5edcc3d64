/** Model of the open viewer: photo, faces, comments, zoom and slideshow. */
import { isNotFound } from '../api/errors';
import { PhotoComments } from '../comments/photoComments.svelte';
import { date, t } from '../i18n/i18n.svelte';
import { AutoHide } from '../ui/autoHide.svelte';
import { toastError, toasts } from '../ui/toasts.svelte';
import { LivePhoto } from './livePhoto.svelte';
import { OpenPhoto } from './openPhoto.svelte';
import { PhotoFaces } from './photoFaces.svelte';
import { PhotoNavigation } from './photoNavigation.svelte';
import { Slideshow } from './slideshow.svelte';
import { infoPanel, viewer } from './viewerState.svelte';
import { type Direction, ZoomPan } from './zoomPan.svelte';

export class PhotoView {
  readonly navigation = new PhotoNavigation();
  readonly controls = new AutoHide();
  readonly slideshow = new Slideshow(async () => (await this.navigation.step(1)) || this.navigation.startOver());
  readonly livePhoto = new LivePhoto();
  readonly zoomPan = new ZoomPan({
    turn: (to) => void this.navigation.step(to),
    close: () => viewer.close(),
    info: () => infoPanel.toggle(true),
    tap: (kind) => kind !== 'mouse' && this.controls.toggle(),
    hold: () => this.#hold(),
    letGo: () => this.livePhoto.stop(),
  });

  photo = $state.raw(new OpenPhoto(this.navigation.id));
  photoFaces = $state.raw(new PhotoFaces(this.navigation.id));
  error = $state.raw<unknown>(null);
  allBoxes = $state(false);
  isFull = $state(document.fullscreenElement !== null);

  photoComments = $derived(viewer.album ? new PhotoComments(viewer.album.id, this.navigation.id) : null);
  image = $derived(this.photo.image);
  isVideo = $derived(this.navigation.tile?.isVideo ?? this.image?.assetType === 'VIDEO');
  isLive = $derived(this.image?.urls['motion'] !== undefined && !this.slideshow.isOn && !this.photoFaces.drawing);
  isFavorite = $derived(this.image?.favorite ?? this.navigation.tile?.favorite ?? false);
  position = $derived(this.navigation.position ? t('viewer.position', this.navigation.position) : '');
  name = $derived.by(() => {
    const { altText, title, takenAt } = this.image ?? {};
    const time = takenAt ?? this.navigation.tile?.time;
    const when = time ? date(time, { dateStyle: 'long' }) : '';
    return altText || title || t(this.isVideo ? 'photos.videoOf' : 'photos.photoOf', { when });
  });

  /** Loads the photo that the navigation has opened. */
  follow(): void {
    const { id } = this.navigation;
    if (this.photo.id === id) return;
    this.photo = new OpenPhoto(id);
    this.photoFaces = new PhotoFaces(id);
  }

  async load(isAgain = false): Promise<void> {
    const { photo, photoFaces } = this;
    this.error = null;
    try {
      await photo.load(isAgain);
      if (photo.image?.faceCount || isAgain) await photoFaces.load();
    } catch (problem) {
      if (photo.id !== this.navigation.id || !viewer.photo) return;
      if (photo.image && isNotFound(problem)) return this.wentAway();
      this.error = problem;
      if (!isNotFound(problem)) toastError(problem);
    }
  }

  /** The picture failed to load: its address may have expired. A slideshow goes on. */
  broke(): void {
    this.slideshow.shown();
    void this.load();
  }

  wentAway(): void {
    if (this.navigation.gone.has(this.photo.id)) return;
    toasts.say(t('viewer.wentAway'));
    void this.navigation.leave(this.photo.id);
  }

  step(to: Direction): void {
    if (this.zoomPan.isZoomed) this.zoomPan.nudge({ x: -to, y: 0 });
    else void this.navigation.step(to);
  }

  play(): void {
    this.livePhoto.stop();
    this.slideshow.toggle();
    if (this.slideshow.isOn) {
      this.zoomPan.reset();
      this.controls.hide();
    } else this.controls.stay();
  }

  /** Closes the topmost thing first. */
  escape(): void {
    if (this.photoFaces.drawing) this.photoFaces.drawing = null;
    else if (this.slideshow.isOn) this.slideshow.stop();
    else viewer.close();
  }

  fill(): void {
    if (document.fullscreenElement) void document.exitFullscreen();
    else document.documentElement.requestFullscreen().catch(toastError);
  }

  #hold(): boolean {
    if (this.isLive) this.livePhoto.play();
    return this.isLive;
  }
}
