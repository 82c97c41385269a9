/** The store as requests call it: the budget of each counts how long it waits. */
import { type Budget, currentBudget } from '../isolation/budget.ts'
import type { ResourceStore } from '../storage/port.ts'

/** `readRecent` is left out: what it reads is nearly always in memory. */
export const countedStore = (store: ResourceStore): ResourceStore => ({
  ...store,
  read: (...query) => counted(() => store.read(...query)),
  readVersion: (...query) => counted(() => store.readVersion(...query)),
  write: (changes) => counted(() => store.write(changes)),
  search: (...query) => counted(() => store.search(...query)),
  history: (query) => counted(() => store.history(query)),
  findByKeys: (query) => counted(() => store.findByKeys(query)),
  values: (query) => counted(() => store.values(query)),
  readRecord: (...query) => counted(() => store.readRecord(...query)),
  records: (query) => counted(() => store.records(query)),
})

function counted<T>(call: () => Promise<T>): Promise<T> {
  const budget = currentBudget()
  return budget === undefined ? call() : countedIn(budget, call)
}

async function countedIn<T>(budget: Budget, call: () => Promise<T>): Promise<T> {
  budget.storeIsCalled()
  try {
    return await call()
  } finally {
    budget.storeHasResponded()
  }
}
