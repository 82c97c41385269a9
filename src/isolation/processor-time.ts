/**
 * Microseconds of processor time used by this thread: unlike the clock, it stands still while a busy machine runs other
 * work.
 */
export function processorTime(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}
