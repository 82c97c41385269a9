/**
 * In every test file that runs on MongoDB, checks that the server's commands name the clinic whose data they are about.
 */
import { afterAll, expect } from '@jest/globals'
import { onCommand, strayIn } from '../support/mongo-commands.ts'

const strays = new Set<string>()

onCommand((sent) => {
  const stray = strayIn(sent)
  if (stray !== undefined) strays.add(stray)
})

afterAll(() => {
  expect([...strays]).toEqual([])
})
