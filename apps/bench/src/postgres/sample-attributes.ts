type Attributes = Readonly<Record<string, string | number | boolean>>;

const sentence = "The gate opens for whoever shows the right papers, and stays shut for everybody else; it asks again.";

/** Attributes of an `Article`, about 1.5 kB as JSON. `Name` and `Number` differ from object to object. */
export const articleAttributes: Attributes = {
  Name: "Article 1",
  Number: 1,
  Price: 12.5,
  Active: true,
  Since: "2024-03-01T12:00:00.000Z",
  ...Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`Text${index + 1}`, sentence])),
};

/** Attributes of a `Contact`, about 0.3 kB as JSON. A hundred of them share a `Shelf`. */
export const contactAttributes: Attributes = {
  Name: "Contact 1",
  Number: 1,
  Shelf: 0,
  City: "Bremerhaven",
  Country: "Germany",
  Email: "contact@example.com",
  Since: "2024-03-01T12:00:00.000Z",
  CreditLimit: 25_000,
  Active: true,
  Remark: sentence,
};

/** Attributes of an `Order` beside the contact that it points to, about 0.2 kB as JSON. */
export const orderAttributes: Attributes = {
  Name: "Order 1",
  Number: 1,
  Total: 129.9,
  Since: "2024-03-01T12:00:00.000Z",
  Remark: sentence,
};
