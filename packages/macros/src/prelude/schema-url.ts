/** The part of `URL` that references inside one schema need: an address and a fragment. */
export class SchemaUrl {
  private readonly address: string;
  private fragment: string;

  constructor(reference: string, base = "") {
    const cut = reference.indexOf("#");
    const address = cut === -1 ? reference : reference.slice(0, cut);
    this.address = address === "" ? (base.split("#", 1)[0] as string) : address;
    this.fragment = cut === -1 || cut === reference.length - 1 ? "" : reference.slice(cut);
  }

  get hash(): string {
    return this.fragment;
  }

  set hash(fragment: string) {
    this.fragment = fragment === "" || fragment.startsWith("#") ? fragment : `#${fragment}`;
  }

  get href(): string {
    return this.address + this.hash;
  }

  toString(): string {
    return this.href;
  }
}
