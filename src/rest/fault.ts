/** What the log may hold of an unexpected fault. */

/** Messages of unexpected faults may quote data; the kind and the place are enough to find the cause. */
export function faultOf(error: unknown): { readonly type: string; readonly stack: readonly string[] } {
  if (!(error instanceof Error)) return { type: typeof error, stack: [] }
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return { type: error.name, stack: frames.slice(0, 8).map((line) => line.trim()) }
}
