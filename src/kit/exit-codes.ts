/** How a run ends, for scripts. The same in every output format. */
export const exitCodes = {
  ok: 0,
  failure: 1,
  usage: 2,
  timeout: 3,
  noSuchSession: 4,
  permissionDenied: 5,
  limitReached: 6,
  someMembersFailed: 7,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
