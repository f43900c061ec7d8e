/** What the verification remembers of an object. */
export interface ObjectEntry {
  readonly state: ObjectState;
  /** Position of its class in the order of first appearance. */
  readonly classNumber: number;
  readonly stamp: number;
  /** 0 if it is swept. */
  readonly version: number;
  /** Digest of its references, until its links are compared with it; 0 without any. */
  readonly links: number;
}

/** `deleted`: permanently. `swept`: its tombstone is forgotten. */
export type ObjectState = "live" | "recycled" | "deleted" | "swept";

const states: readonly ObjectState[] = ["live", "recycled", "deleted", "swept"];
const pageSize = 4_096;

interface Page {
  /** Position in `states` plus one; 0: none. */
  readonly states: Uint8Array;
  readonly classes: Uint16Array;
  readonly stamps: Float64Array;
  readonly versions: Uint32Array;
  readonly links: Uint32Array;
}

/** All objects of a database in 19 bytes each. Numbers are mostly dense. */
export class ObjectTable {
  private readonly pages = new Map<number, Page>();

  get(number: number): ObjectEntry | undefined {
    const page = this.pages.get(Math.floor(number / pageSize));
    const at = number % pageSize;
    const state = states[(page?.states[at] ?? 0) - 1];
    if (page === undefined || state === undefined) return undefined;
    const [classNumber = 0, links = 0] = [page.classes[at], page.links[at]];
    const [stamp = 0, version = 0] = [page.stamps[at], page.versions[at]];
    return { state, classNumber, stamp, version, links };
  }

  set(number: number, { state, classNumber, stamp, version, links }: ObjectEntry): void {
    const index = Math.floor(number / pageSize);
    const page = this.pages.get(index) ?? newPage();
    this.pages.set(index, page);
    const at = number % pageSize;
    page.states[at] = states.indexOf(state) + 1;
    page.classes[at] = classNumber;
    page.stamps[at] = stamp;
    page.versions[at] = version;
    page.links[at] = links;
  }

  /** The numbers of the objects whose links were not compared. */
  *withUncheckedLinks(): Generator<number, void, undefined> {
    for (const [index, { links }] of this.pages)
      for (const [at, digest] of links.entries()) if (digest !== 0) yield index * pageSize + at;
  }
}

function newPage(): Page {
  return {
    states: new Uint8Array(pageSize),
    classes: new Uint16Array(pageSize),
    stamps: new Float64Array(pageSize),
    versions: new Uint32Array(pageSize),
    links: new Uint32Array(pageSize),
  };
}
