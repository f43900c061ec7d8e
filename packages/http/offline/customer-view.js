/* The list of customers, and one of them with its invoices. */

const fields = [
  { name: "Name", type: "text" },
  { name: "Email", label: "E-mail", type: "email" },
  { name: "City", type: "text" },
  { name: "Country", type: "text" },
  { name: "CreditLimit", label: "Credit limit", type: "number" },
  { name: "Active", type: "checkbox" },
];
const columns = [
  { name: "Number", type: "text" },
  { name: "Date", type: "date" },
  { name: "Due", type: "date" },
  { name: "Amount", type: "number" },
  { name: "Paid", type: "checkbox" },
];
const unnamed = "Without a name";
const day = 86_400_000;

const collator = new Intl.Collator("en");

/** An element with properties and children. */
function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

export class CustomerView {
  /** Number of operations that the server has not acknowledged. */
  pending = 0;
  #store;
  #schema;
  #entries = new Map();
  #customers = [];
  #invoices = new Map();
  #selected = null;
  #list = document.querySelector("#customers ol");
  #detail = document.querySelector("#customer");
  #search = document.querySelector("#search");
  #ended = new AbortController();

  constructor(store, schema) {
    this.#store = store;
    this.#schema = schema;
    const { signal } = this.#ended;
    this.#search.addEventListener("input", () => this.#showList(), { signal });
    this.#detail.addEventListener("change", (event) => this.#update(event), { signal });
    document.querySelector("#new-customer").addEventListener("click", () => this.#createCustomer(), { signal });
  }

  /** Reads the copy of the device and shows it. */
  async load() {
    const entries = new Map();
    for await (const entry of this.#store.entries(this.#schema)) entries.set(entry.uuid, entry);
    this.#entries = entries;
    this.pending = [...entries.values()].reduce((sum, { pending }) => sum + pending.length, 0);
    const all = [...entries.values()].filter(({ local }) => local !== null);
    this.#customers = all
      .filter(({ className }) => className === "Customer")
      .toSorted((a, b) => collator.compare(a.local.Name ?? "", b.local.Name ?? ""));
    this.#invoices = new Map(this.#customers.map(({ uuid }) => [uuid, []]));
    for (const each of all) this.#invoices.get(each.local.Customer?.["~UUID"])?.push(each);
    for (const [uuid, found] of this.#invoices)
      this.#invoices.set(
        uuid,
        found.toSorted((a, b) => collator.compare(b.local.Number ?? "", a.local.Number ?? "")),
      );
    this.#showList();
    this.#showDetail();
  }

  /** What to call an object in a sentence. */
  nameOf(uuid) {
    const { local, server, className = "object" } = this.#entries.get(uuid) ?? {};
    const { Name, Number: number } = local ?? server ?? {};
    return Name ?? (number === undefined ? `an ${className}` : `invoice ${number}`);
  }

  /** Removes everything from the page. */
  clear() {
    this.#ended.abort();
    this.#list.replaceChildren();
    this.#detail.replaceChildren();
    delete this.#detail.dataset.shown;
  }

  #showList() {
    const wanted = this.#search.value.trim().toLowerCase();
    const found = this.#customers.filter(({ local }) => {
      return `${local.Name} ${local.City} ${local.Country}`.toLowerCase().includes(wanted);
    });
    const items = found.map(({ uuid, local }) => {
      const button = make(
        "button",
        { type: "button", onclick: () => this.#select(uuid) },
        make("b", { textContent: local.Name || unnamed }),
        make("span", { textContent: [local.City, local.Country].filter(Boolean).join(", ") || "–" }),
      );
      button.setAttribute("aria-current", String(uuid === this.#selected));
      if (this.#isWaiting(uuid)) button.append(make("em", { textContent: "not sent" }));
      return make("li", {}, button);
    });
    if (items.length === 0) items.push(make("li", { className: "hint", textContent: "No customer." }));
    this.#list.replaceChildren(...items);
  }

  /** Whether the customer or one of its invoices has changes that are not sent. */
  #isWaiting(uuid) {
    return [this.#entries.get(uuid), ...(this.#invoices.get(uuid) ?? [])].some((each) => each.pending.length > 0);
  }

  #select(uuid) {
    this.#selected = uuid;
    this.#showList();
    this.#showDetail();
    this.#detail.scrollIntoView({ block: "nearest" });
  }

  #showDetail() {
    const entry = this.#entries.get(this.#selected);
    const invoices = this.#invoices.get(this.#selected);
    const shown = invoices === undefined ? "" : [entry, ...invoices].map(({ uuid }) => uuid).join();
    if (this.#detail.dataset.shown !== shown) {
      this.#detail.dataset.shown = shown;
      if (shown === "")
        this.#detail.replaceChildren(make("p", { className: "hint", textContent: "Select a customer." }));
      else this.#build(entry, invoices);
    }
    for (const input of this.#detail.querySelectorAll("input")) this.#refresh(input);
    for (const heading of this.#detail.querySelectorAll("h2")) heading.textContent = entry.local.Name || unnamed;
  }

  #build({ uuid }, invoices) {
    const rows = invoices.map((invoice) => {
      return make("tr", {}, ...columns.map((column) => cellOf(invoice.uuid, column)));
    });
    const head = make("tr", {}, ...columns.map(({ name }) => make("th", { textContent: name, scope: "col" })));
    const add = make("button", { type: "button", textContent: "New invoice", onclick: () => this.#createInvoice() });
    const labels = fields.map((field) => {
      return make("label", { className: field.type }, field.label ?? field.name, inputOf(uuid, field));
    });
    this.#detail.replaceChildren(
      make("h2"),
      make("div", { className: "fields" }, ...labels),
      make("div", { className: "tools" }, make("h3", { textContent: `Invoices (${invoices.length})` }), add),
      make("div", { className: "wide" }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows))),
    );
  }

  /** Shows the value of the device, unless the user is changing it, and whether the server has another one. */
  #refresh(input) {
    const { uuid, field } = input.dataset;
    const { local, server } = this.#entries.get(uuid);
    const value = local[field];
    if (input.type === "checkbox") input.checked = value === true;
    else if (input !== document.activeElement)
      input.value = input.type === "date" ? String(value ?? "").slice(0, 10) : (value ?? "");
    input.classList.toggle("changed", JSON.stringify(value ?? null) !== JSON.stringify(server?.[field] ?? null));
  }

  #update({ target }) {
    const { uuid, field } = target.dataset;
    void this.#store.update(this.#schema, uuid, { [field]: valueOf(target) });
  }

  async #createCustomer() {
    const Name = "New customer";
    this.#search.value = "";
    const uuid = await this.#store.create(this.#schema, "Customer", { Name, Active: true });
    await this.load();
    this.#select(uuid);
    this.#detail.querySelector("input").select();
  }

  async #createInvoice() {
    const [now, due] = [Date.now(), Date.now() + 30 * day].map((time) => new Date(time).toISOString().slice(0, 10));
    const Number = `${now.slice(0, 4)}-${crypto.randomUUID().slice(0, 5).toUpperCase()}`;
    const values = { Number, Date: now, Due: due, Amount: 0, Paid: false, Customer: { "~UUID": this.#selected } };
    await this.#store.create(this.#schema, "Invoice", values);
  }
}

/** A cell. Narrow screens show the name of the column in it. */
function cellOf(uuid, column) {
  const cell = make("td", {}, inputOf(uuid, column));
  cell.dataset.name = column.name;
  return cell;
}

function inputOf(uuid, { name, label, type }) {
  const input = make("input", { type, ariaLabel: label ?? name });
  if (type === "number") input.step = "any";
  Object.assign(input.dataset, { uuid, field: name });
  return input;
}

/** The value of an input as the field stores it. An empty one is null. */
function valueOf({ type, checked, value }) {
  if (type === "checkbox") return checked;
  if (value === "") return null;
  return type === "number" ? Number(value) : value;
}
