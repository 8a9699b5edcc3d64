/** Errors of a request: refused by the server, or server unreachable. */

interface Told {
  error?: string;
  message?: string;
  requestId?: string | null;
}

interface Answered {
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

  static of(response: Answered, body: unknown): ApiError {
    const told = (typeof body === 'object' && body !== null ? body : {}) as Told;
    const message = told.message ?? response.statusText;
    const requestId = told.requestId ?? response.headers.get('X-Request-Id');
    const retryAfter = Number(response.headers.get('Retry-After')) || null;
    const more = told as Record<string, unknown>;
    return new ApiError(response.status, told.error ?? '', message, requestId, more, retryAfter);
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
