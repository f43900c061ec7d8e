import { ServiceError } from "../errors/index.ts";
import { type KeyWrapping, openJson, sealJson } from "../keys/index.ts";
import type { JsonValue } from "../storage/index.ts";

/** Seals what an installation keeps of providers, and of log-ins at them. 705 without a master key. */
export class ProviderSealing {
  /** @param wrapping `null` without a master key */
  constructor(private readonly wrapping: KeyWrapping | null) {}

  sealData(data: JsonValue): string {
    return sealJson(this.required(), data, "provider data");
  }

  /** Additional data of an entry; 608 if another master key sealed them. */
  openData(sealed: string): JsonValue {
    const data = openJson(this.required(), sealed, "provider data");
    if (data === undefined)
      throw new ServiceError(608, { detail: "The additional data were sealed under another master key." });
    return data;
  }

  sealState(secrets: JsonValue): string {
    return sealJson(this.required(), secrets, "provider state");
  }

  /** `undefined` if another master key sealed them. */
  openState(sealed: string): JsonValue | undefined {
    return openJson(this.required(), sealed, "provider state");
  }

  sealCode(proven: JsonValue): string {
    return sealJson(this.required(), proven, "provider return code");
  }

  /** `undefined` if another master key sealed it. */
  openCode(sealed: string): JsonValue | undefined {
    return openJson(this.required(), sealed, "provider return code");
  }

  private required(): KeyWrapping {
    if (this.wrapping === null) throw new ServiceError(705, { detail: "There is no master key." });
    return this.wrapping;
  }
}
