import type { Json } from "../cases/case.ts";

/** The outcome of an item of a multi request. */
export interface ItemResult {
  readonly httpStatus: number;
  /** `data` of a success, the code of a failure. */
  readonly result: Json;
  readonly debugMessage?: string;
}

/** The contents of the envelopes of a multi request's items. */
export function multiResults(data: readonly { readonly httpStatus: number; readonly result: Json }[]): ItemResult[] {
  return data.map(({ httpStatus, result: { status, data: result } }) => {
    const { internalStatus, debugMessage } = status;
    if (internalStatus === "0") return { httpStatus, result };
    return { httpStatus, result: Number(internalStatus), ...(debugMessage === undefined ? {} : { debugMessage }) };
  });
}
