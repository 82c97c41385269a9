/** Records that belong to no clinic but to the whole service are kept under this one: StoredRecord.clinic. */
export const SERVICE = ''
