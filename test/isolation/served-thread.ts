/** A thread that does the jobs of thread-host.test.ts. */
import { type JobContext, notify, serveJobs, startData } from '../../src/isolation/thread-entry.ts'

export type TestJob = 'data' | 'fail' | 'notify' | 'exit' | 'wait for abandonment' | 'write' | 'never end'

/** Written by jobs that have an effect. */
const { written } = startData<{ readonly written: Int32Array }>()

function run(job: TestJob, { isAbandoned, onEffect }: JobContext): string {
  switch (job) {
    case 'fail':
      throw new Error('it failed')
    case 'notify':
      notify('a notice')
      break
    case 'exit':
      process.exit()
      break
    case 'wait for abandonment':
      while (!isAbandoned());
      break
    case 'write':
      onEffect()
      Atomics.add(written, 0, 1)
      for (;;);
    case 'never end':
      for (;;);
  }
  return `done: ${job}`
}

serveJobs({ run, toSent: (error) => String(error) })
