/** A run while it is open: a line for each step that has come to something, until somebody ends it. */
import { createInterface } from 'node:readline'
import type { RunReport } from '../../src/rehearsal/runs/run.ts'
import type { Output } from './output.ts'
import { linesOfStep } from './report-lines.ts'
import { Unreachable } from './server.ts'

/** Milliseconds between two looks. */
const LOOK = 500

/** `finish` and `abort` by who sits here, `elsewhere` by others or because its time was over. */
export type EndedBy = 'finish' | 'abort' | 'elsewhere'

/** @param look the run as it is now */
export async function untilEnded(look: () => Promise<RunReport>, { note }: Output): Promise<EndedBy> {
  const person = listen()
  const known = new Map<string, string>()
  note('Enter finishes the run, Ctrl+C aborts it.')
  try {
    for (;;) {
      const report = await look().catch(unlessAway)
      for (const line of changedLines(report, known)) note(line)
      if (report !== undefined && report.status !== 'open') return 'elsewhere'
      const word = await Promise.race([person.word, sleep(LOOK)])
      if (word !== undefined) return word
    }
  } finally {
    person.end()
  }
}

/** A run outlasts a restart of the server. */
function unlessAway(error: unknown): undefined {
  if (!(error instanceof Unreachable)) throw error
}

const sleep = (ms: number): Promise<undefined> => new Promise((resolve) => setTimeout(resolve, ms, undefined))

/** @param known what has been said of each step */
function changedLines(report: RunReport | undefined, known: Map<string, string>): readonly string[] {
  return (report?.steps ?? []).flatMap((step) => {
    const said = linesOfStep(step)
    const isNew = known.get(step.id) !== step.result && (known.has(step.id) || step.result !== 'pending')
    known.set(step.id, step.result)
    return isNew ? said : []
  })
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Enter finishes, Ctrl+C and other signals abort. */
function listen() {
  const lines = createInterface({ input: process.stdin })
  let say: (word: EndedBy) => void = () => {}
  const word = new Promise<EndedBy>((resolve) => (say = resolve))
  const abort = () => say('abort')
  lines.once('line', () => say('finish'))
  for (const signal of SIGNALS) process.on(signal, abort)
  return {
    word,
    end: () => {
      lines.close()
      for (const signal of SIGNALS) process.off(signal, abort)
    },
  }
}
