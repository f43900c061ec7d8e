import { type Kernel, KernelStorage, type StorageCapabilities } from "@sallyport/storage";
import { persistently } from "./fixtures/concurrently.ts";
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
  let isPersistent = true;
  const over = (opened: Kernel) =>
    new KernelStorage(opened.capabilities.parallelTransactions ? persistent(opened, () => isPersistent) : opened);
  const storageOf = (open: () => Promise<Kernel>) => async () => over(await open());
  const losing = (lose: (times: number) => Promise<void>) => async (times: number) => {
    isPersistent = false;
    await lose(times);
  };
  const underTest = {
    storage: over(kernel),
    destroy,
    ...(another === undefined ? {} : { another: storageOf(another) }),
    ...(reopen === undefined ? {} : { reopen: storageOf(reopen) }),
    ...(loseNext === undefined ? {} : { loseNext: losing(loseNext) }),
    ...(refuseNext === undefined ? {} : { refuseNext }),
  };
  return { underTest, ofKernel: created };
}

/**
 * A kernel that repeats transactions that have lost all of their runs, as clients do: checks of repositories start many calls at once.
 * The checks of the kernel itself count what it loses, and so do those that make it lose.
 */
function persistent(kernel: Kernel, isPersistent: () => boolean): Kernel {
  return {
    version: kernel.version,
    capabilities: kernel.capabilities,
    read: (work) => kernel.read(work),
    transaction: (work) => (isPersistent() ? persistently(kernel, work) : kernel.transaction(work)),
    migrate: (tables) => kernel.migrate(tables),
    health: () => kernel.health(),
    close: () => kernel.close(),
  };
}

/** Creates a database to see what the adapter declares. */
export async function declaredBy(adapter: Pick<AdapterUnderTest, "create">): Promise<Declared> {
  const { underTest, ofKernel } = await openUnderTest(adapter, { clockOffset: () => 0, migrated: false });
  await underTest.destroy();
  return { kind: ofKernel === null ? "storage" : "kernel", capabilities: underTest.storage.capabilities };
}
