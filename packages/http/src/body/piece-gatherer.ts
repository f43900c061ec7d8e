/** Bytes of a full block. */
const blockSize = 16 * 1024;
/** Number of chunks without a minimum size. Beyond it, the minimum average size in bytes applies. */
const freePieces = 1_024;
const bytesPerPiece = 16;

/** Receives the blocks of a body, or the rejection of a body with too many small chunks. */
export interface PieceReceiver {
  /** Returns whether to continue reading; `null` marks the end. */
  readonly take: (block: Buffer | null) => boolean;
  /** Called at most once. No block follows. */
  readonly refuse: () => void;
}

/**
 * Joins the chunks of a body into blocks. Node allocates a buffer per chunk, about 100 bytes of memory for one byte,
 * and keeps all of them until the body is read.
 */
export class PieceGatherer {
  private block: Buffer | null = null;
  /** Bytes in the block. */
  private filled = 0;
  private pieces = 0;
  private bytes = 0;
  private refused = false;

  constructor(private readonly receiver: PieceReceiver) {}

  /** Adds the next chunk, or `null` at the end. Returns whether to continue reading. */
  push(piece: Buffer | null): boolean {
    if (this.refused) return true;
    if (piece === null) {
      this.flush();
      return this.receiver.take(null);
    }
    this.pieces += 1;
    this.bytes += piece.length;
    if (this.pieces > freePieces && this.bytes < this.pieces * bytesPerPiece) {
      this.refused = true;
      this.block = null;
      this.receiver.refuse();
      return false;
    }
    const wantsMore = this.filled + piece.length <= blockSize || this.flush();
    if (this.block === null) {
      // Most bodies consist of one chunk. It is not copied.
      this.block = piece;
    } else {
      if (this.block.length === this.filled) this.block = Buffer.concat([this.block], blockSize);
      piece.copy(this.block, this.filled);
    }
    this.filled += piece.length;
    return wantsMore;
  }

  /** Returns whether to continue reading. */
  private flush(): boolean {
    if (this.block === null) return true;
    const block = this.block.subarray(0, this.filled);
    this.block = null;
    this.filled = 0;
    return this.receiver.take(block);
  }
}
