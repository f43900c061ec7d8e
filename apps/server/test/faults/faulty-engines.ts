import type { Storage } from "@sallyport/core";
import { type FaultScript, withFaults } from "@sallyport/storage-faults";
import { StorageEngines } from "../../src/composition/storages/storage-engines.ts";
import type { StorageConfiguration } from "../../src/configuration/index.ts";

/** Opens storages that fail as the script says, and keeps them as they are without it. */
export class FaultyEngines extends StorageEngines {
  /** The storages beside the faults, in the order in which they were opened. */
  readonly sound: Storage[] = [];

  constructor(private readonly script: FaultScript) {
    super();
  }

  override async open(configuration: StorageConfiguration): Promise<Storage> {
    const storage = await super.open(configuration);
    this.sound.push(storage);
    return withFaults(storage, this.script);
  }
}
