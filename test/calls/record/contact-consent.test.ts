/** Opt-outs, by contact point and by patient. */
import { expect, test } from '@jest/globals'
import { hasOptedOut, optOut } from '../../../src/calls/record/contact-consent.ts'
import { openTestRepository } from '../../support/repository.ts'

test('an opt-out of a number that is denied already holds for the patient too, wherever they are called', async () => {
  const access = (await openTestRepository()).access('a')
  const point = '+12125550155'
  await access.change((ctx) => optOut(ctx, 'phone', { point }))
  expect(await hasOptedOut(access.reader().unit, 'phone', { patient: 'ruth' })).toBe(false)
  await access.change((ctx) => optOut(ctx, 'phone', { point, patient: 'ruth' }))
  expect(await hasOptedOut(access.reader().unit, 'phone', { point: '+12125550156', patient: 'ruth' })).toBe(true)
})
