import type { ExactlyCaught } from "./exactly-caught.ts";

/** Faults in changes, channels, sessions, locks and accounts. */
export const caughtSessions: readonly ExactlyCaught[] = [
  {
    fault: "takes stamps from a plain sequence",
    sections: ["changes"],
    checks: [
      "never appear below what was read, though another transaction is still open",
      "lose nothing and repeat nothing for who follows writers at work",
    ],
  },
  {
    fault: "tells of what was taken back",
    sections: ["changes"],
    checks: [
      "of what is taken back never show, and hold nobody up",
      "lose nothing and repeat nothing for who follows writers at work",
    ],
  },
  {
    fault: "tells the process's time",
    sections: ["time"],
    checks: [
      "moves with the offset of the clock",
      "is the same for everything that is stored",
      "is that of the moment inside transactions, too",
    ],
  },
  {
    fault: "takes claims at once for one",
    sections: ["channels"],
    checks: [
      "let one client win of those who bring the same blocks at once",
      "count every use of those at once",
      "give messages that share blocks to one client whole, never in parts",
    ],
  },
  {
    fault: "reserves the same for all who ask at once",
    sections: ["channels"],
    checks: ["reserve 10,000 numbers for four who take them at once, none twice"],
  },
  {
    fault: "accepts the number of a message that another one has accepted",
    sections: ["several processes"],
    checks: ["give out every number of a channel once, and accept it once, together"],
  },
  {
    fault: "reads how many there are, then writes",
    sections: ["sessions"],
    checks: [
      "fill the last place once when many want it at once",
      "fill every place once when many want them at once",
      "fill the places of several users and of the database exactly at once",
      "fill the places that are given back at the same time, no more",
      "stay exactly limited after all that can happen to them",
      "replace without taking room under a limit",
      "of a device make room under a full limit, those of others do not",
      "of a device fill a limit exactly when others want its places at once",
      "of a device are replaced whatever the two ways in",
    ],
  },
  {
    fault: "marks a session as ended and ends it later",
    sections: ["admission"],
    checks: ["accepts no session that was ended, from the very next request"],
  },
  {
    fault: "looks before it takes",
    sections: ["locks"],
    checks: ["are taken by one of those who want them at once"],
  },
  {
    fault: "lets writes without a session through",
    sections: ["locks"],
    checks: ["refuse writes of other sessions and of none with 713, all or nothing"],
  },
  {
    fault: "looks for a free name, then takes it",
    sections: ["app keys"],
    checks: [
      "refuses a digest that is taken, and changes nothing",
      "creates one app key of those that want one name at once",
    ],
  },
  {
    fault: "removes the last administrator",
    sections: ["accounts"],
    checks: [
      "does not remove the last administrator who is not disabled",
      "removes the accounts of a database that has no administrator",
      "leaves an administrator when two remove one another at once",
      "removes nothing of what belongs to the last administrator",
    ],
  },
  {
    fault: "keeps the link as it was when a session was opened",
    sections: ["sessions"],
    checks: ["know the link that their user came in by as it is now"],
  },
  {
    fault: "stores whatever custom secret comes last",
    sections: ["custom accounts"],
    checks: ["leave a secret alone whose version is not the one expected, of custom users"],
  },
];
