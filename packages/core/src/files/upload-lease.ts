import { type RecordKind, type RecordRepository, ServiceError } from "@sallyport/storage";

const leaseKind: RecordKind<{ readonly holder: string }> = "uploadLease";

/** Milliseconds without a sign of life after which another request may write the upload. */
const lifetime = 5_000;
const renewalInterval = 1_500;

/** The right to write an upload. One request has it at a time, also with several servers. */
export class UploadLease {
  private renewedAt = Date.now();

  private constructor(
    private readonly records: RecordRepository,
    private readonly uploadId: string,
    private readonly holder: string,
    private version: number,
  ) {}

  /** `holder`: a random text. `null` if another request has the lease. */
  static async take(records: RecordRepository, uploadId: string, holder: string): Promise<UploadLease | null> {
    const version = await write(records, uploadId, holder, "none");
    return version === null ? null : new UploadLease(records, uploadId, holder, version);
  }

  /**
   * A sign of life, to be given while bytes flow. 606 if another request has taken over. An expired lease that no one
   * has taken is taken again: had another request written, the version of the upload tells.
   */
  async keep(): Promise<void> {
    if (Date.now() - this.renewedAt < renewalInterval) return;
    const { records, uploadId, holder } = this;
    const version =
      (await write(records, uploadId, holder, this.version)) ?? (await write(records, uploadId, holder, "none"));
    if (version === null) throw leaseLost();
    this.version = version;
    this.renewedAt = Date.now();
  }

  /** Gives the lease back in the transaction that acknowledges. 606 if it is lost, so that nothing is acknowledged. */
  async settle(records: RecordRepository): Promise<void> {
    if (!(await records.settle(leaseKind, { id: this.uploadId, version: this.version }, "done"))) throw leaseLost();
  }

  /** Gives the lease back after a failure. It expires if that fails, too. */
  async release(): Promise<void> {
    await this.settle(this.records).catch(() => {});
  }
}

/** The version of the written lease; `null` if the lease has another state. */
async function write(
  records: RecordRepository,
  uploadId: string,
  holder: string,
  ifVersion: "none" | number,
): Promise<number | null> {
  if ((await records.put(leaseKind, uploadId, { holder }, { lifetime, ifVersion })) !== "stored") return null;
  const [record] = await records.get(leaseKind, [uploadId]);
  return record?.value.holder === holder ? record.version : null;
}

export function leaseLost(): ServiceError {
  return new ServiceError(606, { detail: "Another request is writing this upload." });
}
