const setting = "sallyport.counted";
const tell = (word: string) => `set_config('${setting}', '${word}', true)`;

/**
 * How a function that counts by itself what it inserts tells the trigger that would. As a part of its definition, the setting would ask
 * for a superuser.
 */
export const countedInside = {
  /** Expressions for the function, before and after it inserts; an error takes back what the first one did. */
  begin: tell("yes"),
  end: tell(""),
  /** When the trigger has to count. */
  otherwise: `coalesce(current_setting('${setting}', true), '') <> 'yes'`,
};
