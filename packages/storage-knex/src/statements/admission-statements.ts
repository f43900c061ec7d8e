import type { OneTimePayload, SessionMode } from "@sallyport/core";
import type { Statement } from "../statement.ts";

export interface AdmissionStatements {
  /** 1 digest of the app key, 2 digest of the session, 3 offset of the clock, 4 least life left that needs no extension. */
  readonly admit: { readonly [mode in SessionMode]: Statement };
  /** 1 digest of the session, 2 idle time-out, 3 offset of the clock, 4 as above. */
  readonly touch: Statement;
  /** 1 digest of the state, 2 offset of the clock. A `ReturnRow`; the state is spent, unless the maintenance switch is on. */
  readonly admitReturn: Statement;
}

type AppKeyColumn = "key_id" | "key_name" | "key_enabled" | "key_app_names" | "key_origins" | "key_return_addresses";

/** One row always; what is unknown is null in it. */
export interface ReturnRow
  extends Pick<AdmissionRow, "maintenance" | "model_generation" | "macro_generation" | AppKeyColumn> {
  readonly payload: OneTimePayload | null;
}

/** One row always; what is unknown or not live is null in it. */
export interface AdmissionRow {
  readonly maintenance: boolean;
  readonly model_generation: string;
  readonly macro_generation: string;
  readonly key_id: string | null;
  readonly key_name: string;
  readonly key_enabled: boolean;
  readonly key_app_names: string[] | null;
  readonly key_origins: string[];
  readonly key_return_addresses: string[];
  readonly mode: SessionMode | null;
  readonly user_id: string;
  readonly app_names: string[];
  readonly device_id: string | null;
  readonly custom_account: string | null;
  readonly custom_version: number;
  readonly identity_link: string | null;
  readonly shared: boolean;
  readonly due: boolean;
  /** Of secure sessions only. */
  readonly wrapped_key?: string;
  readonly iv_prefix: Buffer;
  readonly administrator: boolean;
  readonly groups: unknown;
}
