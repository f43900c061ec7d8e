import type { Attributes } from "@sallyport/core";
import { dayAfter } from "./calendar-day.ts";
import type { SeededRandom } from "./seeded-random.ts";

const customerCount = 200;

const makers = [
  "Amberfold",
  "Bramblecott",
  "Cloudwick",
  "Dapplemere",
  "Emberlyn",
  "Fernhollow",
  "Gallowmint",
  "Hazelbourne",
  "Inkwater",
  "Juniperfall",
  "Kestrelby",
  "Lanternmoor",
  "Mistlegrove",
  "Nettlecombe",
  "Oakenshaw",
  "Pebblewright",
  "Quillhaven",
  "Rookfield",
  "Silverthrift",
  "Thimblegate",
  "Umberdale",
  "Velvetstone",
  "Willowmarch",
  "Yarrowby",
  "Zephyrhall",
];

const trades = [
  "Airships",
  "Barometers",
  "Clockworks",
  "Compasses",
  "Ferries",
  "Kites",
  "Lamps",
  "Looms",
  "Orchards",
  "Paper Mills",
  "Pianos",
  "Telescopes",
];

const places = [
  ["Aarhus", "Denmark"],
  ["Bergen", "Norway"],
  ["Braga", "Portugal"],
  ["Córdoba", "Spain"],
  ["Debrecen", "Hungary"],
  ["Galway", "Ireland"],
  ["Gent", "Belgium"],
  ["Graz", "Austria"],
  ["Groningen", "Netherlands"],
  ["Leipzig", "Germany"],
  ["Ljubljana", "Slovenia"],
  ["Nantes", "France"],
  ["Plovdiv", "Bulgaria"],
  ["Poznań", "Poland"],
  ["Tampere", "Finland"],
  ["Tartu", "Estonia"],
  ["Trieste", "Italy"],
  ["Uppsala", "Sweden"],
  ["York", "United Kingdom"],
  ["Zürich", "Switzerland"],
] as const;

/** Companies that do not exist, in places that do; their mail domains are reserved for examples. */
export function demoCustomers(random: SeededRandom): Attributes[] {
  const names = random.shuffled(makers.flatMap((maker) => trades.map((trade) => `${maker} ${trade}`)));
  return names.slice(0, customerCount).map((name) => {
    const [city, country] = random.pick(places);
    return {
      Name: name,
      City: city,
      Country: country,
      Email: `office@${name.toLowerCase().replaceAll(" ", "-")}.example.com`,
      Since: dayAfter("2009-01-01", random.whole(0, 16 * 365)),
      CreditLimit: random.whole(2, 100) * 500,
      Active: random.next() < 0.9,
    };
  });
}
