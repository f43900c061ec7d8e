export const address = process.env.BASE_URL;
