import "./session.js";

export const loaded = true;
