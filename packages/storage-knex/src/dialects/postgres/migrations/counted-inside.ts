const setting = "sallyport.counted";

/** How a function that counts by itself what it inserts tells the trigger that would. */
export const countedInside = {
  /** Part of the definition of such a function. */
  setting: `set ${setting} = 'yes'`,
  /** When the trigger has to count. */
  otherwise: `coalesce(current_setting('${setting}', true), '') <> 'yes'`,
};
