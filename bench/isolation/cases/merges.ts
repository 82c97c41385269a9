/** Merges of Patients. Their changes remain on MongoDB, so they come last. */
import { setTimeout as pause } from 'node:timers/promises'
import { type HostileCase, type HostileRequest, send, type Target, times } from '../hostile-case.ts'
import { ONE_PATIENT } from '../stored/records.ts'

const merge = (target: string, preview: boolean): HostileRequest =>
  send('POST', '/Patient/$merge', {
    resourceType: 'Parameters',
    parameter: [
      { name: 'source-patient', valueReference: { reference: `Patient/${ONE_PATIENT}` } },
      { name: 'target-patient', valueReference: { reference: `Patient/${target}` } },
      { name: 'preview', valueBoolean: preview },
    ],
  })

/** Looks at the Task of the merge twice a second until it is completed. */
async function untilCompleted({ send, signal }: Target): Promise<void> {
  while (!signal.aborted) {
    const answer = await send({ method: 'GET', path: '/Task?status=in-progress&_summary=count' })
    if (answer === undefined || /"total":0\b/.test(answer.text)) return
    await pause(500)
  }
}

const previewsAndMerges = async (target: Target): Promise<void> => {
  await Promise.all(times(4, (n) => target.send(merge(`patient-${n}`, true))))
  await Promise.all(times(4, (n) => target.send(merge(`patient-${n}`, false))))
  await untilCompleted(target)
}

export const merges: readonly HostileCase[] = [
  {
    name: 'merge-of-many-references',
    about: '4 previews and 4 merges at a time of a Patient with 20,000 Observations, and the moving in the background',
    stored: 'records',
    attack: () => ({ kind: 'program', run: previewsAndMerges }),
  },
]
