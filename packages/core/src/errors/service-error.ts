import { type ErrorCode, errorEntry } from "./catalogue.ts";

export interface ServiceErrorOptions {
  /** What exactly is wrong, for `debugMessage` and the log. Never a secret, never text of the database. */
  readonly detail?: string;
  /** Whole seconds after which a repeated request can succeed; becomes `Retry-After`. */
  readonly retryAfter?: number;
  /** What went wrong underneath; only the log sees it. */
  readonly cause?: unknown;
}

/**
 * Makes `instanceof` recognise the errors of every copy of this package: a server is bundled with one copy, and a storage
 * adapter from elsewhere brings another. `name` is that of the class.
 */
export function brand(errorClass: { readonly prototype: Error }, name: string): void {
  const symbol = Symbol.for(`@sallyport/core/${name}`);
  Object.defineProperty(errorClass.prototype, symbol, { value: true });
  Object.defineProperty(errorClass, Symbol.hasInstance, {
    value(this: unknown, value: unknown) {
      // Classes that extend this one without a brand of their own are known by their prototype.
      if (this !== errorClass) return Function.prototype[Symbol.hasInstance].call(this, value);
      return typeof value === "object" && value !== null && symbol in value;
    },
  });
}

/** A failure of the catalogue. Everything that is thrown on purpose is one of these. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly code: ErrorCode;
  readonly detail: string | undefined;
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, options: ServiceErrorOptions = {}) {
    super(`${code} ${errorEntry(code).name}`, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.detail = options.detail;
    this.retryAfter = options.retryAfter;
  }

  get status(): number {
    return errorEntry(this.code).status;
  }
}

brand(ServiceError, "ServiceError");

/** A body or a parameter that asks for what there is not or cannot be: 307 with the place as a JSON pointer. */
export function faultAt(pointer: string, reason: string): ServiceError {
  return new ServiceError(307, { detail: `at ${pointer}: ${reason}` });
}

/** A JSON pointer for the detail of an error. Names, which can be the client's text, are cut and made printable. */
export function jsonPointer(path: readonly PropertyKey[]): string {
  const parts = path.map((part) =>
    String(part)
      .slice(0, 64)
      .replaceAll(/[^\x20-\x7e]/g, "?"),
  );
  return `/${parts.map((part) => part.replaceAll("~", "~0").replaceAll("/", "~1")).join("/")}`;
}
