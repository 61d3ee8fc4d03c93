/** The variables that the programs of one session are started with, in memory only. */
import { isSameEnvironment, type CarriedEnvironment } from "../../kit/carried-environment.ts";

export class SessionEnvironment {
  variables: CarriedEnvironment;
  /** Terminals that are at the session now. */
  terminals = 0;

  constructor(variables: CarriedEnvironment) {
    this.variables = variables;
  }

  /** False when nothing changes by it. */
  replace(variables: CarriedEnvironment): boolean {
    if (isSameEnvironment(this.variables, variables)) return false;
    this.variables = variables;
    return true;
  }
}
