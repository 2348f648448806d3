-- An inactive queue admits nothing, an inactive check stops every queue that names it, and Argo CD would call both
-- healthy. Stopped is what somebody asked for: Suspended would hold up all later waves until it is started again.
-- A LocalQueue with an inactive ClusterQueue is as it should be: the ClusterQueue says itself whether that is a fault.
hs = {status = "Progressing", message = "waiting for Kueue"}
local asked_for = {Stopped = "stopped", ClusterQueueIsInactive = "its ClusterQueue is stopped or inactive"}
local status = type(obj.status) == "table" and obj.status or {}
for _, condition in ipairs(type(status.conditions) == "table" and status.conditions or {}) do
  if type(condition) == "table" and condition.type == "Active" then
    local seen, generation = condition.observedGeneration, obj.metadata.generation
    if type(seen) == "number" and type(generation) == "number" and seen < generation then
      hs.message = "waiting for Kueue to see the change"
    elseif condition.status == "True" then
      hs.status = "Healthy"
      hs.message = ""
    elseif condition.status == "False" then
      hs.status = asked_for[condition.reason or ""] and "Healthy" or "Degraded"
      hs.message = asked_for[condition.reason or ""] or condition.message or condition.reason or "inactive"
    end
  end
end
return hs
