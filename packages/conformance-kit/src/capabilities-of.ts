import type { StorageCapabilities } from "@sallyport/storage";
import type { AdapterUnderTest } from "./adapter-under-test.ts";

/** The capabilities that the adapter's storage declares. */
export async function capabilitiesOf(adapter: AdapterUnderTest): Promise<StorageCapabilities> {
  const { storage, destroy } = await adapter.create({ clockOffset: () => 0, migrated: false });
  await destroy();
  return storage.capabilities;
}
