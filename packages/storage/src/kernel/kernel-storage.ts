import { builtInClasses } from "../entities/built-in-classes.ts";
import type { ClassDefinition } from "../entities/class-definition.ts";
import { ServiceError } from "../errors/index.ts";
import type { BatchRepositories, Repositories } from "../ports/repositories.ts";
import type { StorageArchive } from "../ports/storage-archive.ts";
import type {
  Attempt,
  AttributeIndex,
  IndexReport,
  MigrationReport,
  Storage,
  StorageCapabilities,
} from "../ports/storage.ts";
import { storageArchive } from "../repositories/archive/storage-archive.ts";
import { repositoriesOver } from "../repositories/index.ts";
import { frozenCopy } from "../repositories/frozen-copy.ts";
import { putClasses } from "../repositories/model.ts";
import { currentNumber } from "../repositories/numbers.ts";
import { alignIndexes } from "../repositories/query/align-indexes.ts";
import { indexKey, indexTable, tables } from "../repositories/tables.ts";
import { type Access, TrackedAccess, TransactionAccess } from "./access.ts";
import { covered, serviceErrors } from "./failures.ts";
import type { Kernel, KernelReader, KernelTransaction } from "./kernel.ts";
import { RowReader, Rows } from "./rows.ts";
import { declarationOf } from "./table.ts";

/** A storage over a kernel. Its repositories hold every rule. */
export class KernelStorage implements Storage {
  readonly capabilities: StorageCapabilities;
  readonly repositories: Repositories;
  readonly archive: StorageArchive;
  private readonly access: Access;

  constructor(private readonly kernel: Kernel) {
    this.capabilities = kernel.capabilities;
    const storage = { valueIndexes: kernel.capabilities.valueIndexes, numbers: new Map<string, number>() };
    this.access = {
      read: <T>(work: (rows: RowReader) => Promise<T>) =>
        covered<KernelReader, T>(
          (run) => kernel.read(run),
          (reader, note) => work(new RowReader(reader, note, storage)),
        ),
      write: <T>(work: (rows: Rows) => Promise<T>) =>
        covered<KernelTransaction, T>(
          (run) => kernel.transaction(run),
          async (transaction, note) => {
            const rows = new Rows(transaction, note, storage);
            const result = await work(rows);
            rows.assertIntact();
            return result;
          },
        ),
    };
    this.repositories = repositoriesOver(this.access);
    this.archive = storageArchive(this.access);
  }

  transaction<T>(work: (r: Repositories, attempt: Attempt) => Promise<T>): Promise<T> {
    return this.access.write(async (rows) => {
      const access = new TransactionAccess(rows);
      try {
        return await work(repositoriesOver(access), (nested) => access.attempt(nested));
      } finally {
        await access.end();
      }
    });
  }

  batch<T>(work: (r: BatchRepositories) => Promise<T>): Promise<T> {
    return this.access.write(async (rows) => {
      const access = new TrackedAccess(new TransactionAccess(rows));
      const running = work(repositoriesOver(access));
      const answers = access.answers();
      answers.catch(() => {});
      const result = await running;
      await answers;
      return result;
    });
  }

  async migrate(classes: readonly ClassDefinition[] = builtInClasses): Promise<MigrationReport> {
    await serviceErrors(this.kernel.migrate(tables.map(declarationOf)));
    return this.access.write(async (rows) => {
      if ((await currentNumber(rows, "modelGeneration")) > 0) return { applied: [] };
      await putClasses(rows, frozenCopy(classes));
      return { applied: ["built-in-classes"] };
    });
  }

  alignIndexes(declared: readonly AttributeIndex[]): Promise<IndexReport | "busy"> {
    return alignIndexes(this.access, declared);
  }

  readyIndexes(indexes: readonly AttributeIndex[]): Promise<AttributeIndex[]> {
    return this.access.read(async (rows) => {
      const entries = await rows.getAll(indexTable, indexes.map(indexKey));
      return entries
        .filter(({ isReady }) => isReady)
        .map(({ className, attribute, type }) => ({ className, attribute, type }));
    });
  }

  async health(): Promise<void> {
    await serviceErrors(this.kernel.health());
    const generation = await this.access.read((rows) => currentNumber(rows, "modelGeneration"));
    if (generation === 0) throw new ServiceError(705);
  }

  now(): Promise<number> {
    return this.access.read((rows) => rows.now());
  }

  close(): Promise<void> {
    return serviceErrors(this.kernel.close());
  }
}
