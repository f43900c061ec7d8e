/**
 * Limit: Express 5 and pg with the SQL that somebody would write by hand: the hundred rows of a shelf with their number,
 * counted to 5,000 at most, and a hundred orders joined with their contacts. It asks nobody who wants them.
 */
import express from "express";
import { barePool } from "./bare-pool.ts";
import { listen } from "./listen.ts";

const findOnShelf = `select id, class, stored_at, attributes from bare.shelved
  where class = 'Contact' and (attributes -> 'Shelf') = $1::jsonb order by id limit 100`;
const countOnShelf = `select count(*)::int as count from (
  select from bare.shelved where class = 'Contact' and (attributes -> 'Shelf') = $1::jsonb limit 5000) counted`;
const findOrders = `select o.id, o.class, o.stored_at, o.attributes,
    c.id as contact_id, c.class as contact_class, c.stored_at as contact_stored_at, c.attributes as contact
  from bare.ordered o left join bare.shelved c on c.id = o.contact_id order by o.id limit 100`;

const pool = barePool();

const application = express();
application.get("/shelf/:shelf", async (request, response) => {
  const values = [request.params["shelf"]];
  const [found, counted] = await Promise.all([pool.query(findOnShelf, values), pool.query(countOnShelf, values)]);
  response.json({ count: counted.rows[0].count, elements: found.rows });
});
application.get("/orders", async (_request, response) => {
  const { rows } = await pool.query(findOrders);
  response.json(
    rows.map(({ contact_id: id, contact_class: className, contact_stored_at: storedAt, contact, ...order }) => ({
      ...order,
      attributes: { ...order.attributes, Contact: { id, class: className, stored_at: storedAt, attributes: contact } },
    })),
  );
});
listen(application);
