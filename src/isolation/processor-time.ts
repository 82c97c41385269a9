/** Microseconds that this thread has worked: on a busy machine the clock goes on while it does not. */
export function processorTime(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}
