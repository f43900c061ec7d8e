import { type Kernel, KernelStorage, type StorageCapabilities } from "@sallyport/storage";
import type { AdapterUnderTest, CreateOptions, KernelUnderTest, StorageUnderTest } from "./adapter-under-test.ts";

/** The part that an adapter implements: a whole storage, or a kernel, of which the kit makes one. */
export type AdapterKind = "storage" | "kernel";

/** A database of an adapter. */
export interface OpenedDatabase {
  readonly underTest: StorageUnderTest;
  /** `null` if the adapter implements a storage. */
  readonly ofKernel: KernelUnderTest | null;
}

/** The declarations of an adapter. */
export interface Declared {
  readonly kind: AdapterKind;
  readonly capabilities: StorageCapabilities;
}

/** Creates a database. Over a kernel, its storages are made here. */
export async function openUnderTest(
  adapter: Pick<AdapterUnderTest, "create">,
  options: CreateOptions,
): Promise<OpenedDatabase> {
  const created = await adapter.create(options);
  if (!("kernel" in created)) return { underTest: created, ofKernel: null };
  const { kernel, another, reopen, loseNext, refuseNext, destroy } = created;
  const storageOf = (open: () => Promise<Kernel>) => async () => new KernelStorage(await open());
  const underTest = {
    storage: new KernelStorage(kernel),
    destroy,
    ...(another === undefined ? {} : { another: storageOf(another) }),
    ...(reopen === undefined ? {} : { reopen: storageOf(reopen) }),
    ...(loseNext === undefined ? {} : { loseNext }),
    ...(refuseNext === undefined ? {} : { refuseNext }),
  };
  return { underTest, ofKernel: created };
}

/** Creates a database to see what the adapter declares. */
export async function declaredBy(adapter: Pick<AdapterUnderTest, "create">): Promise<Declared> {
  const { underTest, ofKernel } = await openUnderTest(adapter, { clockOffset: () => 0, migrated: false });
  await underTest.destroy();
  return { kind: ofKernel === null ? "storage" : "kernel", capabilities: underTest.storage.capabilities };
}
