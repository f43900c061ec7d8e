import type { Storage } from "@sallyport/storage";
import { type FaultScript, withFaults } from "@sallyport/testing/faults";
import { StorageEngines } from "../../src/composition/storages/storage-engines.ts";
import type { StorageConfiguration } from "../../src/configuration/index.ts";

/** Opens storages with scripted faults, and keeps the plain ones. */
export class FaultyEngines extends StorageEngines {
  /** The storages without faults, in the order of their opening. */
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
