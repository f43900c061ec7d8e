import { z } from "zod";

const highestPage = 10_000_000;
const mostPerPage = 1_000;

/** Number of a page, from 0. */
export const page = z.number().int().min(0).max(highestPage);

/** Objects on a page. */
export const perPage = z.number().int().min(1).max(mostPerPage);

export const defaultPerPage = 50;
