/** Errors of a request: refused by the server, or server unreachable. */

interface ErrorBody {
  error?: string;
  message?: string;
  requestId?: string | null;
}

interface ResponseHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Pick<Headers, 'get'>;
}

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId: string | null,
    readonly body: Readonly<Record<string, unknown>>,
    /** Seconds to wait before the next try, if the server tells. */
    readonly retryAfter: number | null = null,
  ) {
    super(message);
  }

  static of(response: ResponseHead, body: unknown): ApiError {
    const known = (typeof body === 'object' && body !== null ? body : {}) as ErrorBody;
    const message = known.message ?? response.statusText;
    const requestId = known.requestId ?? response.headers.get('X-Request-Id');
    const retryAfter = Number(response.headers.get('Retry-After')) || null;
    const more = known as Record<string, unknown>;
    return new ApiError(response.status, known.error ?? '', message, requestId, more, retryAfter);
  }
}

export class Unreachable extends Error {
  constructor() {
    super('unreachable');
  }
}

export const hasCode = (error: unknown, code: string): error is ApiError =>
  error instanceof ApiError && error.code === code;

export const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.status === 404;
