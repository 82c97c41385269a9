/** Tasks for staff that several calls, or several tools of a call, write to. */
import { expect, test } from '@jest/globals'
import type { Patient } from 'fhir/r4'
import { type StaffTask, upsertStaffTask } from '../../../src/calls/record/staff-task.ts'
import { openTestRepository } from '../../support/repository.ts'

test('an addition to an open Task never postpones it, and may make it due earlier', async () => {
  const access = (await openTestRepository()).access('a')
  const dueAfter = (due: string) =>
    access.change(async (ctx) => {
      const found = await ctx.find<Patient>('Patient', 'ruth')
      const patient = found ?? (await ctx.update<Patient>({ resourceType: 'Patient', id: 'ruth' }))
      const callback: StaffTask = { code: 'callback', priority: 'routine', description: 'Call back', due, input: [] }
      const { resource } = await upsertStaffTask(ctx, undefined, patient, { ...callback, id: 'callback' })
      return resource.restriction?.period?.end
    })
  expect(await dueAfter('2031-03-04T10:00:00Z')).toBe('2031-03-04T10:00:00Z')
  expect(await dueAfter('2031-03-05T10:00:00Z')).toBe('2031-03-04T10:00:00Z')
  expect(await dueAfter('2031-03-03T10:00:00Z')).toBe('2031-03-03T10:00:00Z')
})
