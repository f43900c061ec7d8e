import { ServiceError } from "../errors/service-error.ts";

/** What a hook did cannot be gone on with: 710. The reason is for the log. */
export function hookFailure(name: string, reason: string, cause?: unknown): ServiceError {
  return new ServiceError(710, { detail: `The hook ${name} ${reason}`, ...(cause === undefined ? {} : { cause }) });
}

/** Does what a hook has asked for with the caller's rights: what is refused of it is the hook's failure, not the caller's. */
export async function onBehalfOf<T>(name: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceError && error.status < 500)
      throw hookFailure(name, `asked for what cannot be done: ${error.detail ?? error.message}`, error);
    throw error;
  }
}
