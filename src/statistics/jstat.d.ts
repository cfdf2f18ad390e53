// jstat has no types of its own. Only what distributions.ts uses of it.
declare module 'jstat' {
  const jStat: {
    readonly normal: {
      inv(share: number, mean: number, deviation: number): number;
      cdf(value: number, mean: number, deviation: number): number;
    };
    readonly studentt: { inv(share: number, degreesOfFreedom: number): number };
  };
  export = jStat;
}
