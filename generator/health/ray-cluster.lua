-- Kueue suspends a RayCluster until it is admitted.
hs = {status = "Progressing", message = "starting"}
local status = type(obj.status) == "table" and obj.status or {}
local seen, generation = status.observedGeneration, obj.metadata.generation
if type(seen) == "number" and type(generation) == "number" and seen < generation then
  hs.message = "waiting for the operator to see the change"
elseif status.state == "ready" then
  hs.status = "Healthy"
  hs.message = ""
elseif status.state == "suspended" then
  hs.status = "Suspended"
  hs.message = "waiting for quota"
elseif status.state == "failed" then
  hs.status = "Degraded"
  hs.message = status.reason or "failed"
end
return hs
